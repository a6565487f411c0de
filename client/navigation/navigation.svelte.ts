/** Where we are. The address bar is the truth; links of this page change it without a reload. */
import { MediaQuery } from 'svelte/reactivity';
import { pathTo, placeAt, type Route } from './routes.ts';

/** Room for the members beside the timeline. */
export const roomForMembers = new MediaQuery('min-width: 1100px', true);

/** How one steps through the history: ui/layers.ts, once somebody is inside and anything can lie over the page. */
const plain = {
  goTo: (path: string) => {
    history.pushState(null, '', path);
  },
  movedOn: (_here: string) => true,
};

class Navigation {
  steps = plain;
  place = $state.raw<Route>(placeAt(location.pathname));

  start() {
    addEventListener('popstate', () => {
      if (this.steps.movedOn(pathTo(this.place))) this.place = placeAt(location.pathname);
    });
    document.addEventListener('click', (event) => {
      this.#follow(event);
    });
  }

  go(place: Route) {
    if (pathTo(place) !== location.pathname) this.steps.goTo(pathTo(place));
    this.place = place;
  }

  /** Without a step to go back to: for places that only lead on. */
  replace(place: Route) {
    history.replaceState(history.state, '', pathTo(place));
    this.place = place;
  }

  #follow(event: MouseEvent) {
    const plain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!plain || !link || event.defaultPrevented || link.target || link.origin !== location.origin)
      return;
    const place = placeAt(link.pathname);
    if (place.page === 'nowhere' || link.hash) return;
    event.preventDefault();
    this.go(place);
  }
}

export const navigation = new Navigation();
