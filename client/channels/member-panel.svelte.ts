class MembersShown {
  beside = $state(true);
  drawer = $state(false);
}

export const membersShown = new MembersShown();
