/** The composer that receives files dropped on the page or pasted. */
class DropTarget {
  place = $state.raw<{ timelineId: string; name: string }>();
}

export const dropTarget = new DropTarget();
