/** The colors of roles. The client has a shade of each for either theme, so that names stay legible. */
export const roleColors = [
  ...(['red', 'orange', 'yellow', 'green'] as const),
  ...(['teal', 'blue', 'purple', 'pink'] as const),
] as const;
export type RoleColor = (typeof roleColors)[number];
