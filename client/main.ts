import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';
import { connection } from './connection/connection.svelte.ts';
import { navigation } from './navigation/navigation.svelte.ts';
import { loading } from './session/loading.svelte.ts';

const hovers = matchMedia('(hover: hover)');
const noteHover = () => document.documentElement.classList.toggle('hovers', hovers.matches);
hovers.addEventListener('change', noteHover);
noteHover();
navigation.start();
connection.start(loading);
mount(App, { target: document.querySelector('#app') ?? document.body });
