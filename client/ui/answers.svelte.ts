/** Short confirmations of actions without a visible result. */
import { copyText } from './clipboard.ts';

const answerMs = 2_000;

interface Said {
  text: string;
  isGood: boolean;
  /** `spoken`: only announced, because the button itself shows it. */
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

/** Returns whether it succeeded. `what` is a noun, for example “Link”. */
export async function copyAndSay(text: string, what: string): Promise<boolean> {
  const isGood = await copyText(text);
  if (isGood) answers.say({ text: `${what} copied`, isGood, how: 'seen' });
  else answers.say({ text: 'Your browser didn’t allow copying.', isGood, how: 'seen' });
  return isGood;
}
