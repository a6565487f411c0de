import { testEveryScreen } from './screens/every.ts';
import { wide } from './screens/screen.ts';

describe('every screen', () => {
  describe(`A11Y-01, A11Y-06, A11Y-07, A11Y-08, A11Y-10 at ${wide.width} px`, () => {
    testEveryScreen('wide');
  });
});
