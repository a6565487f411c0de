import './pages.test.ts';
import './pages-phone.test.ts';
