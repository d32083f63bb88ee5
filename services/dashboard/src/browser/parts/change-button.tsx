import { type ComponentProps, useContext } from 'react'
import { PlaceContext } from '../context.ts'

/**
 * The button of a change, or of the dialog that makes it. While the organisation is suspended the API refuses every change, so it cannot be
 * pressed; the notice above the screen says why, and so does the button. What revokes keys and sessions is a button as any other.
 */
export function ChangeButton({ disabled, title, children, ...button }: ComponentProps<'button'>) {
  const isSuspended = Boolean(useContext(PlaceContext)?.me.organisation.suspendedAt)
  return (
    <button
      {...button}
      disabled={disabled || isSuspended}
      title={isSuspended ? 'The organisation is suspended: it can be read, and not changed' : title}
    >
      {children}
    </button>
  )
}
