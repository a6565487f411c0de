/**
 * Keeps the page above a phone's keyboard. Most browsers shrink the page themselves (see the viewport in index.html).
 * iOS lays the keyboard over it and only reports the visible height. Returns a function that stops it.
 */
export function stayAboveKeyboard(): () => void {
  const seen = globalThis.visualViewport;
  const { style } = document.documentElement;
  const fit = () => {
    // If the user has zoomed in, less is visible, but nothing is covered.
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
