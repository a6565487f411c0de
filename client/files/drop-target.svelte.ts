/** The composer that receives files dropped on the page or pasted, or the reason why the open timeline takes none. */
class DropTarget {
  place = $state.raw<
    { timelineId: string; name: string } | { timelineId?: undefined; refusal: string }
  >();
}

export const dropTarget = new DropTarget();
