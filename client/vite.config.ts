import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { webSocketOnly } from './build/websocket-only.ts';
import { worker } from './build/worker.ts';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Limits `:hover` to devices that can hover (see main.ts): on touch screens an element looks hovered after a tap. */
const hovering = {
  postcssPlugin: 'hovering',
  Rule(rule: { selector: string }) {
    rule.selector = rule.selector.replaceAll(/:hover(?!:where)/g, ':hover:where(.hovers *)');
  },
};

/** Needed by every page: the start, and code that the sign-in page and the app share. */
const needed =
  /client.(main\.ts|ui.(error-text\.ts|ErrorNote\.svelte|Picture\.svelte|initials\.ts)|servers.ServerIcon\.svelte)$|shared.limits\.ts$|icons.info\.\w+$/;

/** Small dialogs. Together they are 5 kB less than one by one, and no page begins with one. */
const questions =
  /client.(accounts.(ClaimAccount|SignOut)|members.(BanNewcomers|MemberRoles)|blocks.BlockPerson|categories.(Delete|Name)Category|channels.(AddMembers|(Create|Delete|Leave|Move)Channel|MakePrivate|changing)|conversations.(AddPeople|LeaveGroup|NewConversation|RenameGroup)|friends.(changing|AskFriend|EndFriendship|NicknameFriend)|messages.(DeleteMessage|JumpToDate|jump-to-date)|reports.(ReportMessage|kinds)|notifications.PlaceNotifications|people.(SetStatus|status-ends)|shortcuts.ShortcutList|servers.(changing|CreateServer|DeleteServer|Invite(People|Terms)|JoinServer|LeaveServer|OwnJoinRequests))\.\w+$/;

/** Small code that several lazily loaded parts share. Together it is 1 kB less and saves a dozen requests. */
const common =
  /client.(accounts.rules|blocks.BlockRow|friends.PersonRow|files.upload|conversations.(start-conversation|ConversationIcon)|files.(allowance|hrefs)|local-time.local-time|friends.FriendAction|emoji.(search|well-known)|members.(timeouts|large-member-requests)|channels.(slow-mode|MoveItems|moving|drops)|messages.(actions|choosing|lookup|MessageExcerpt)|device.worker|notifications.(choosing|device|levels|sound)|session.loaded-list|unread.keys)(\.svelte)?(\.ts)?$|shared.file-size\.ts$/;

/** Small parts that most pages do not show. */
const extras =
  /client.(accounts.AccountItems|members.(LargeMemberList|WatchMembers)|mentions.CallNote|categories.CategoryMenu|channels.SlowNote|connection.UpdateBanner|conversations.(Participants|RequestBar)|direct.DirectHome|messages.(Above|Message(Actions|Sheet)|PlaceLink|ReadOnlyNote|Select(Box|ionBar))|replies.ReplyBar|pins.PinLine|transfers.TransferBar|navigation.Unavailable|servers.NoServers|channels.Channel(Info|Items)|sidebar.(HiddenChannels|ServerItems))\.svelte$/;

/** Parts that a page loads some time after sign-in, or instead of a connection. */
const background =
  /client.(session.(settled|last-seen)|sharing.shared-content|install.(offer|InstallHint)|notifications.unsent-replies|device.replies)\./;

export default defineConfig({
  root: here('.'),
  plugins: [svelte(), webSocketOnly, worker()],
  css: { postcss: { plugins: [hovering] } },
  build: {
    outDir: here('../dist/client'),
    emptyOutDir: true,
    // The content security policy allows neither inline scripts nor data: URLs.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      treeshake: { moduleSideEffects: [{ test: /engine\.io-client/, sideEffects: false }] },
      output: {
        // Shorter than usual, because parts list the names of others, and a hash cannot be compressed.
        entryFileNames: 'assets/[name]-[hash:7].js',
        chunkFileNames: 'assets/[name]-[hash:7].js',
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        // Each group includes its dependencies; otherwise code that a later part needs would be a request of its own.
        codeSplitting: {
          groups: [
            { name: 'main', test: needed, priority: 3 },
            { name: 'app', test: /session.signed-in\.ts$/, priority: 2 },
            { name: 'entrance', test: /accounts.SignInPage\.svelte$/, priority: 1 },
            // Code that only later parts show; separate files would be larger.
            { name: 'icons', test: /lucide.dist.esm.icons/, priority: 0 },
            { name: 'controls', test: /client.(ui|forms)\W/, priority: 0 },
            { name: 'questions', test: questions, priority: 0 },
            { name: 'common', test: common, priority: 0 },
            { name: 'extras', test: extras, priority: 0 },
            { name: 'background', test: background, priority: 0 },
            // Both settings dialogs in one chunk: 4 kB smaller, because their pages are similar.
            { name: 'settings', test: /client.settings\W/, priority: 0 },
            {
              name: 'attaching',
              test: /client.files.(A(llowanceHint|ttach)|DropHint)/,
              priority: 0,
            },
          ],
        },
      },
    },
  },
});
