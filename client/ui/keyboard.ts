/**
 * Keeps the page above the keyboard of a phone. Most browsers shrink the page by themselves (see the viewport in
 * index.html); iOS lays the keyboard over it and says only how much is still seen. Answers with how to stop.
 */
export function stayAboveKeyboard(): () => void {
  const seen = globalThis.visualViewport;
  const { style } = document.documentElement;
  const fit = () => {
    // Somebody who has zoomed in sees less, and nothing is covered.
    const covered = seen?.scale === 1 && seen.height < innerHeight - 1;
    style.height = covered ? `${seen.height}px` : '';
    if (covered) scrollTo(0, 0);
  };
  seen?.addEventListener('resize', fit);
  return () => {
    seen?.removeEventListener('resize', fit);
    style.height = '';
  };
}
