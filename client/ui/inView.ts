import type { Attachment } from 'svelte/attachments';

export const inView =
  (tell: (seen: boolean) => void): Attachment =>
  (element) => {
    const observer = new IntersectionObserver((found) => {
      tell(found.at(-1)?.isIntersecting ?? false);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      tell(false);
    };
  };
