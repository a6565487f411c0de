import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { connection } from './connection/connection.svelte.ts';
import { loading } from './session/loading.svelte.ts';
import { navigation } from './navigation/navigation.svelte.ts';

navigation.start();
connection.start(
  async (ready) => {
    loading.expect(true);
    const inside = await loading.load();
    return inside && (() => inside.welcome(ready));
  },
  () => {
    loading.expect(false);
    loading.inside?.farewell();
  },
);
mount(App, { target: document.querySelector('#app') ?? document.body });
