/** Yields the same bytes in pieces of `size`. The last piece can be shorter. */
export async function* inPieces(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer> {
  let collected: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    collected.push(piece);
    length += piece.length;
    if (length < size) continue;
    let all = Buffer.concat(collected);
    for (; all.length >= size; all = all.subarray(size)) yield all.subarray(0, size);
    collected = [all];
    length = all.length;
  }
  if (length > 0) yield Buffer.concat(collected);
}
