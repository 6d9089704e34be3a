// The beginning: what the whole page needs, then the page.
import { render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import { App } from './app/App';
import { applyTheme } from './app/theme';
import { listenForLogins, takeLoginLink } from './app/session';

applyTheme();
listenForLogins();
const place = document.getElementById('page');
if (place) void takeLoginLink().then(() => render(<App />, place));
