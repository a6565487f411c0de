/** The current place. The address bar is the source of truth; links within the page change it without a reload. */
import { pathTo, placeAt, type Route } from '../routes/routes.ts';

/** Creates history entries before sign-in. Afterwards ui/layers.ts does, because layers can lie over the page. */
const plain = {
  goTo: (path: string) => {
    history.pushState(null, '', path);
  },
  movedOn: (_here: string) => true,
};

class Navigation {
  steps = plain;
  place = $state.raw<Route>(placeAt(location.pathname));
  /** The number of navigations by the user, without redirects. */
  visits = $state(0);

  start() {
    addEventListener('popstate', () => {
      if (!this.steps.movedOn(pathTo(this.place))) return;
      this.place = placeAt(location.pathname);
      this.visits += 1;
    });
    document.addEventListener('click', (event) => {
      this.#follow(event);
    });
  }

  go(place: Route) {
    if (pathTo(place) !== location.pathname) this.steps.goTo(pathTo(place));
    this.place = place;
    this.visits += 1;
  }

  /** Replaces the history entry, for addresses that only redirect. */
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
