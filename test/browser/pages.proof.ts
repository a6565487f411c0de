/** Every screen, wide and on a telephone: see support/length.ts. */
import './pages.test.ts';
import './pages-phone.test.ts';
