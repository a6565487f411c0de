/** Runs every screen at full length, wide and on a phone: see support/length.ts. */
import './pages.test.ts';
import './pages-phone.test.ts';
