/** The new place of the item that was moved last, or the error. */
class MoveStatus {
  said = $state('');
  failed = $state(false);
}

export const moveStatus = new MoveStatus();
