import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { connection } from './connection/connection.svelte.ts';
import { account } from './accounts/account.svelte.ts';
import { timelines } from './messages/messages.svelte.ts';
import { hear } from './hearing.ts';
import { eraseKept, keepFor } from './kept.ts';
import { navigation } from './navigation/navigation.svelte.ts';
import { handshake } from './socket.ts';
import { begin, forget } from './sync.ts';
import { chosenTheme, wearTheme } from './theme.ts';

wearTheme(chosenTheme());
navigation.start();
if (navigation.place.page === 'join') handshake.invite = navigation.place.code;
hear();
connection.start(
  (ready) => {
    account.you = ready.you;
    keepFor(ready.you.id);
    begin(ready);
    timelines.recall();
  },
  () => {
    account.you = undefined;
    if (connection.leaving) {
      eraseKept();
      navigation.replace({ page: 'home' });
    }
    keepFor(undefined);
    forget();
  },
);
mount(App, { target: document.querySelector('#app') ?? document.body });
