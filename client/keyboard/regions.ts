/** The regions of the page, in document order: F6 goes from one to the next. */
const landmarks =
  'nav, section[aria-label^="Messages in"], form[aria-label="Write a message"], aside';
const stops = '[aria-current], [tabindex="0"], textarea, a[href], button:not([tabindex="-1"])';

export function moveToRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>(landmarks)].filter(
    (region) => region.checkVisibility() && firstStop(region),
  );
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const next = at < 0 && step < 0 ? -1 : at + step;
  const region = regions.at(next % regions.length);
  if (region) firstStop(region)?.focus();
}

function firstStop(region: HTMLElement): HTMLElement | undefined {
  const all = [...region.querySelectorAll<HTMLElement>(stops)].filter(
    (element) => element.checkVisibility() && element.tabIndex >= 0,
  );
  return all.find((element) => element.matches('[aria-current], article')) ?? all[0];
}
