/** The curve P-256. A public key must be a point on it; otherwise encryption for it fails. */
const prime = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;
const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/** True when y² = x³ − 3x + b (mod p). */
export function isOnCurve(key: string): boolean {
  const bytes = Buffer.from(key, 'base64url');
  if (bytes.length !== 65 || bytes[0] !== 4) return false;
  const [x, y] = [1, 33].map((at) => BigInt(`0x${bytes.toString('hex', at, at + 32)}`));
  if (x === undefined || y === undefined || x >= prime || y >= prime) return false;
  return (y * y - (x * x * x - 3n * x + b)) % prime === 0n;
}
