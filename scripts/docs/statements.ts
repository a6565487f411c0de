/** Promises of the client to its users. A browser test has the number of the statement that it proves in its title. */
export const statements = {
  'UX-01': 'A message you send is in the list with the next frame, before the server has answered.',
  'UX-02': 'The answer turns the waiting row into the sent one in place; nothing appears twice.',
  'UX-03':
    'A message without an answer is sent again by itself; a refused one says why, and offers to retry, delete or copy it.',
  'UX-04': 'Retrying never turns one message into two.',
  'UX-05': 'If you’re too fast, you see when sending continues, and it continues by itself.',
  'UX-06':
    'Shift+Enter breaks a line, and so does Enter on touch; a word being composed isn’t sent.',
  'UX-07': 'Empty and overlong messages are never sent or cut, and the text stays.',
  'UX-08':
    'Messages stay in the order in which you wrote them: for you, for others, after a reload.',
  'UX-10':
    'A lost connection is announced without taking the focus, and the notice goes away by itself.',
  'UX-11': 'Without a connection everything loaded stays readable, and you can keep writing.',
  'UX-12': 'After reconnecting, everything said in the meantime is there, each thing once.',
  'UX-13': 'After a long absence you find everything, loaded where you look, without gaps.',
  'UX-14':
    'Signed-out users see the sign-in page with the reason, and the client stops reconnecting.',
  'UX-15':
    'Reconnecting waits longer each time, at random, and happens immediately when the network is back.',
  'UX-16': 'A newer version is offered and never forced; a part that doesn’t load offers a reload.',
  'UX-20': 'A channel opens at the first unread message with what came before it, or at its end.',
  'UX-21':
    'The line above new messages stays while you read, and goes when you answer, leave or press Esc.',
  'UX-22':
    'When that line is out of view, a bar says since when there are new messages, and leads there.',
  'UX-23':
    'At the end you stay at the end; anywhere else nothing moves, and a button leads to the end.',
  'UX-24': 'Loading older messages above doesn’t move what you’re reading.',
  'UX-25': 'Loading or editing above the view doesn’t move the view.',
  'UX-26': 'After a jump you can read on in both directions, with a way back to the present.',
  'UX-27': 'A channel has a visible beginning, and failed loading can be retried.',
  'UX-29': 'Only messages that were on the screen, in a window someone looks at, count as read.',
  'UX-30':
    'Consecutive messages of one person stand under one name, until something comes between.',
  'UX-31': 'Every message has its time, never one in the future, and shows the whole date.',
  'UX-40': 'The arrow key in an empty field edits your last message; Esc and Enter lead back.',
  'UX-41': 'An edit is marked with its time, and a failed or conflicting edit loses no words.',
  'UX-42': 'Unsent text is kept for each channel until you send it or sign out.',
  'UX-43': 'People who are typing are named, up to four, and nothing moves.',
  'UX-46': 'Code stays as it was written, scrolls sideways, and can be copied.',
  'UX-47': 'Links open elsewhere without a referrer, and masked links show where they lead.',
  'UX-49': 'A message is deleted after one question, and comes back if the server refuses.',
  'UX-50': 'Ctrl+K finds channels, servers and people without waiting, and Esc leads back.',
  'UX-51': 'Alt and the arrow keys move through the channels, with Shift through the unread ones.',
  'UX-52': 'F6 moves through the sections of the page.',
  'UX-53': 'A shortcut opens the list of all shortcuts, generated from the table they work by.',
  'UX-54': 'The messages are one tab stop, and the arrow keys move between them.',
  'UX-55': 'If you just start typing, you write into the message field, and no letter is lost.',
  'UX-56': 'Esc takes back one thing at a time, the last one first.',
  'UX-57': 'Every page has an address; Back, Forward and a reload keep to it.',
  'UX-58': 'Everything the mouse can do to a message, the keyboard and a finger can do too.',
  'UX-60': 'A guest can talk after three interactions; a form shows every error, at its field.',
  'UX-61': 'Empty pages say what to do.',
  'UX-62':
    'The default channel’s delete button is there, says why it does nothing, and does nothing.',
  'UX-63': 'A question before something is destroyed names it and what will be gone.',
  'UX-64': 'If you lose access, you immediately see what happened, and keep what you were writing.',
  'UX-65': 'Every failure says what happened and what to do.',
  'UX-66':
    'Notifications are asked for by a click that explains, tell nothing that you look at, come once for all tabs, and open their message.',
  'UX-67': 'The title and the icon show that something is unread, until it’s read.',
  'UX-68': 'On a phone there is one thing at a time, with the field above the keyboard.',
  'UX-69': 'The theme follows the system or your choice, from the first frame on.',
  'UX-70':
    'No matter who asks first, two people are friends once, or not at all, and a refusal is silent.',
  'UX-71': 'People coming, leaving and being busy is shown within two seconds, and in words.',
  'A11Y-01': 'axe finds nothing against WCAG 2.2 AA on any screen, in both themes and widths.',
  'A11Y-02':
    'Landmarks, one heading and a link straight to the message field structure every page.',
  'A11Y-03':
    'Messages are articles in a labelled list, each named by author, text, time and state.',
  'A11Y-04':
    'New messages from others are read out once, many together as a number, old ones never.',
  'A11Y-05': 'The focus is never lost.',
  'A11Y-06':
    'The focused element is in view, targets are large enough, everything can be moved without dragging, and passwords can be pasted.',
  'A11Y-07': 'A dialog has a name, keeps the focus, closes with Esc and gives the focus back.',
  'A11Y-08':
    'Text and controls have contrast in each theme, and no state is shown by colour alone.',
  'A11Y-09': 'With reduced motion nothing moves, and forced colours leave everything usable.',
  'A11Y-10': 'At 320 pixels, and with wider text, nothing scrolls sideways or is cut off.',
  'A11Y-11': 'The page says its language, and each name and text runs in its own direction.',
  'A11Y-12': 'A channel’s link says its name and what is unread together; counters don’t speak up.',
} as const;

export type Statement = keyof typeof statements;
