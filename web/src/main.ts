import { h, render } from 'preact';
import './main.css';

// The link of `gpusched page` logs in: its secret goes to the daemon and out of the address bar.
async function logIn(): Promise<void> {
  const token = /^#login=(gpst_[\w-]+)$/.exec(location.hash)?.[1];
  if (token === undefined) return;
  history.replaceState(null, '', location.pathname);
  await fetch('v1/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token }),
  });
}

async function start(): Promise<void> {
  await logIn();
  const answer = await fetch('v1/whoami');
  const who = (await answer.json()) as { user?: string };
  const words = who.user === undefined ? 'Not logged in: gpusched page makes a link.' : who.user;
  render(h('p', null, words), document.getElementById('page')!);
}

void start();
