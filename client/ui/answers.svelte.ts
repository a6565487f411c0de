/** Short confirmations for actions that show no result themselves. */
import { copyText } from './clipboard.ts';

/** How long one is shown, in ms. */
const answerMs = 2_000;

interface Said {
  text: string;
  isGood: boolean;
  /** `spoken`: the button itself shows it, so it is only announced. */
  how: 'seen' | 'spoken';
}

class Answers {
  current = $state.raw<Said>();
  #over: ReturnType<typeof setTimeout> | undefined;

  say(said: Said) {
    clearTimeout(this.#over);
    this.current = said;
    this.#over = setTimeout(() => (this.current = undefined), answerMs);
  }
}

export const answers = new Answers();

/** Returns whether it worked. `what` is a noun: “Link”. */
export async function copyAndSay(text: string, what: string): Promise<boolean> {
  const isGood = await copyText(text);
  if (isGood) answers.say({ text: `${what} copied`, isGood, how: 'seen' });
  else answers.say({ text: 'Your browser didn’t allow copying.', isGood, how: 'seen' });
  return isGood;
}
