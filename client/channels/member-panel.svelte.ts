/** Whether the members are shown: beside the timeline at first, as a drawer only when asked for. */
class MembersShown {
  beside = $state(true);
  drawer = $state(false);
}

export const membersShown = new MembersShown();
