/** Visibility of the members: beside the timeline by default, as a drawer only on request. */
class MembersShown {
  beside = $state(true);
  drawer = $state(false);
}

export const membersShown = new MembersShown();
