/** Stores content that another app shares with Parley, and opens the app, which asks where to send it. */
import { scope } from './scope.ts';

/** Read by client/sharing/shared-content.ts. */
const cacheName = 'parley.shared';
const path = '/shared';

/** Returns the response for shared content, a form (`share_target` in app.webmanifest); undefined for other requests. */
export function shareFrom(request: Request): Promise<Response> | undefined {
  const { origin, pathname } = new URL(request.url);
  const isShared = request.method === 'POST' && pathname === '/share';
  return isShared && origin === scope.location.origin ? keep(request) : undefined;
}

async function keep(request: Request): Promise<Response> {
  try {
    const cache = await caches.open(cacheName);
    await cache.put(path, new Response(await request.formData()));
  } catch {
    // The storage is full. The app opens without the content, which the other app still has.
  }
  return Response.redirect('/?shared', 303);
}
