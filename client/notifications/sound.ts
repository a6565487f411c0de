/** Plays two short tones, generated here so that nothing has to be loaded. */
let context: AudioContext | undefined;

export function playSound(): void {
  context ??= new AudioContext();
  // Browsers can keep it silent until the user has clicked on the page.
  void context.resume();
  [880, 1_175].forEach((frequency, i) => {
    if (context) playTone(context, frequency, context.currentTime + i * 0.12);
  });
}

function playTone(context: AudioContext, frequency: number, from: number): void {
  const tone = new OscillatorNode(context, { frequency });
  const volume = new GainNode(context, { gain: 0 });
  volume.gain.setValueAtTime(0.08, from);
  volume.gain.exponentialRampToValueAtTime(0.001, from + 0.25);
  tone.connect(volume).connect(context.destination);
  tone.start(from);
  tone.stop(from + 0.25);
}
