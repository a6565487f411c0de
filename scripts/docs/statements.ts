/** What the client promises to those who use it. A browser test carries the number of what it proves in its title. */
export const statements = {
  'UX-01': 'What I send is in the list with the next frame, before the server has answered.',
  'UX-02':
    'The answer turns the waiting row into the sent one where it stands; nothing is there twice.',
  'UX-03': 'Without an answer the row says so, and offers to retry, delete or copy it.',
  'UX-04': 'Retrying never makes two messages of one.',
  'UX-05': 'Whoever is too fast sees when it goes on, and it goes on by itself.',
  'UX-06':
    'Shift and Enter break a line, and so does Enter on touch; a word being composed is not sent.',
  'UX-07': 'Nothing empty is sent, nothing too long is sent or cut, and the text stays.',
  'UX-08': 'Messages stay in the order in which I wrote them: for me, for others, after a reload.',
  'UX-10': 'A lost connection is said without taking the focus, and the note goes by itself.',
  'UX-11': 'Without a connection everything loaded stays readable, and writing goes on.',
  'UX-12': 'After it, all that was said meanwhile is there, each thing once.',
  'UX-13': 'Who was away for long finds all of it, loaded where they look, and never a hole.',
  'UX-14': 'Who is signed out sees the way in and the reason, and is not reconnected in vain.',
  'UX-15':
    'Reconnecting waits longer each time, at random, and is tried at once when the network is back.',
  'UX-16':
    'A newer version is offered and never forced; a part that does not load offers a reload.',
  'UX-20': 'A channel opens at the first unread message with what came before it, or at its end.',
  'UX-21':
    'The line above what is new stays while I read, and goes when I answer, leave or press Esc.',
  'UX-22':
    'When that line is out of view, a bar says how much is new, since when, and leads there.',
  'UX-23':
    'At the end I stay at the end; anywhere else nothing moves, and a button leads to the end.',
  'UX-24': 'Older messages that are loaded above do not move what I read.',
  'UX-25': 'What is loaded or edited above the view does not move it.',
  'UX-26': 'After a jump I can read on in both directions, with a way back to the present.',
  'UX-27': 'A channel has a visible beginning, and what cannot be loaded can be tried again.',
  'UX-29': 'Only what was on the screen, in a window that somebody looks at, is read.',
  'UX-30': 'What one person says in a row stands under one name, until something comes between.',
  'UX-31': 'Every message has its time, never one in the future, and shows the whole date.',
  'UX-40': 'The arrow key in an empty field edits my last message; Esc and Enter lead back.',
  'UX-41': 'An edit is marked with its time, and a failed or a crossing one loses no words.',
  'UX-42': 'What I have not sent is kept for each channel until I send it or sign out.',
  'UX-43': 'Who is typing is said by name up to four, and moves nothing.',
  'UX-46': 'Code stays as it was written, scrolls sideways, and can be copied.',
  'UX-47': 'Links open elsewhere, tell nothing of here, and masked ones show where they lead.',
  'UX-49': 'A message is deleted after one question, and is back if the server refuses.',
  'UX-50': 'Ctrl+K finds channels, servers and people without waiting, and Esc leads back.',
  'UX-51': 'Alt and the arrow keys go through the channels, with Shift through the unread ones.',
  'UX-52': 'F6 goes round the parts of the page.',
  'UX-53': 'A list of all shortcuts opens by one, made of the same table that they work by.',
  'UX-54': 'The messages are one stop for Tab, and the arrow keys move between them.',
  'UX-55': 'Whoever just types writes into the message field, and no letter is lost.',
  'UX-56': 'Esc takes back one thing at a time, the last one first.',
  'UX-57': 'Every place has an address; Back, Forward and a reload keep to it.',
  'UX-58': 'What the mouse can do to a message, the keyboard and a finger can do too.',
  'UX-60':
    'A guest has spoken after three interactions; a form says at once all that is wrong, at each field.',
  'UX-61': 'Where nothing is yet, the page says what to do.',
  'UX-62':
    'The default channel’s delete button is there, says why it does nothing, and does nothing.',
  'UX-63': 'A question before something is destroyed names it and what will be gone.',
  'UX-64': 'Who loses a place sees at once what happened, and keeps what they were writing.',
  'UX-65': 'Every failure says what happened and what to do.',
  'UX-67': 'The title and the icon show what is unread, and no longer when it is read.',
  'UX-68': 'On a phone there is one thing at a time, with the field above the keyboard.',
  'UX-69': 'The theme is the system’s or the one chosen, from the first picture on.',
  'UX-70':
    'Whoever asks whom, and whoever is quicker: two people are friends once, or not at all, and a refusal is silent.',
  'UX-71':
    'Who comes, who signs out and who is busy is seen within two seconds, and said in words.',
  'A11Y-01': 'axe finds nothing against WCAG 2.2 AA on any screen, in both themes and widths.',
  'A11Y-02': 'Landmarks, one heading and a way straight to the message field say what is where.',
  'A11Y-03':
    'Messages are articles in a labelled list, each named by author, text, time and state.',
  'A11Y-04': 'New messages of others are read out once, many at once as a number, old ones never.',
  'A11Y-05': 'The focus is never nowhere.',
  'A11Y-06':
    'What has the focus is in view, targets are large enough, what is dragged can be moved without, and passwords can be pasted.',
  'A11Y-07': 'A dialog has a name, keeps the focus, closes with Esc and gives the focus back.',
  'A11Y-08': 'Text and controls have contrast in each theme, and no state is told by colour alone.',
  'A11Y-09': 'Who wants less motion has none, and forced colours leave everything usable.',
  'A11Y-10': 'At 320 pixels, and with wider text, nothing scrolls sideways or is cut off.',
  'A11Y-11': 'The page says its language, and each name and text runs in its own direction.',
  'A11Y-12': 'A channel’s link says its name and what is unread in one; counters do not speak up.',
} as const;

export type Statement = keyof typeof statements;
