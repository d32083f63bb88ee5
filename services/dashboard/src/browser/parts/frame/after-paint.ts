import type { AroundNavHandler } from 'wouter'

/**
 * Runs what takes long once the click that asked for it has been painted: drawing a screen, or making the page behind a dialog inert, takes a
 * slow processor longer than a user waits for a sign that the click was seen. A page that is not shown paints nothing, and does not wait.
 */
export function afterPaint(run: () => void): void {
  if (document.hidden) run()
  else requestAnimationFrame(() => setTimeout(run))
}

/** Follows a link to another screen after the click was painted. What stays on its screen, such as a filter that is typed, follows at once. */
export const navigateAfterPaint: AroundNavHandler = (navigate, to, options) => {
  if (new URL(to, location.href).pathname === location.pathname) navigate(to, options)
  else afterPaint(() => navigate(to, options))
}
