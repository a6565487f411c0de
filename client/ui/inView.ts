import type { Attachment } from 'svelte/attachments';

export const inView =
  (onChange: (seen: boolean) => void): Attachment =>
  (element) => {
    const observer = new IntersectionObserver((found) => {
      onChange(found.at(-1)?.isIntersecting ?? false);
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      onChange(false);
    };
  };
