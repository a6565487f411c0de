/** Loads signed-in.ts at once if a user was signed in on this device, else when the user types on the sign-in page. */
import type { Component } from 'svelte';
import type { Ready, Refusal } from '../../shared/protocol.ts';
import type * as signedIn from './signed-in.ts';
import { forgetSignedIn, saveSignedInAs, signedInAs } from '../device/signed-in-as.ts';
import { lastSeenDatabase, removeDatabase } from '../device/storage.ts';

type SignedIn = typeof signedIn;

class Loading {
  signedIn = $state.raw<SignedIn>();
  SignInPage = $state.raw<Component<{ refusal: Refusal }>>();
  signedInFailed = $state(false);
  signInPageFailed = $state(false);
  #coming: Promise<SignedIn | undefined> | undefined;

  constructor() {
    // The page of a reset link is opened by signed-in.ts, not by the sign-in page, because few visits need it.
    if (signedInAs() || location.pathname === '/reset') void this.load();
    else void this.#loadSignInPage();
  }

  /** Undefined if it fails to load. */
  load(): Promise<SignedIn | undefined> {
    this.#coming ??= import('./signed-in.ts').then(
      (signedIn) => (this.signedIn = signedIn),
      () => void (this.signedInFailed = true),
    );
    return this.#coming;
  }

  prepare({ you }: Ready) {
    saveSignedInAs(you.id);
    return this.load();
  }

  async onLost() {
    if (signedInAs()) await (await this.load())?.openLastSeen();
  }

  onSignedIn(ready: Ready) {
    this.signedIn?.onSignedIn(ready);
  }

  onSignedOut() {
    forgetSignedIn();
    // Also if signed-in.ts has not loaded.
    removeDatabase(lastSeenDatabase);
    void this.#loadSignInPage();
    this.signedIn?.onSignedOut();
  }

  async #loadSignInPage() {
    this.SignInPage ??= (await import('../accounts/SignInPage.svelte').catch(() => undefined))
      ?.default;
    this.signInPageFailed = !this.SignInPage;
  }
}

export const loading = new Loading();
