import { type RefObject, useRef, useState } from 'react'
import { usePlace } from '../../context.ts'
import { afterPaint } from '../frame/after-paint.ts'

/** What was typed into a form: the texts of its fields by their names. */
export type Typed = Readonly<Record<string, string>>

interface Kept {
  readonly typed: Typed
  /** When, as an instant. */
  readonly at: string
}

/**
 * Keeps in this browser what a person types into a form for their organisation, until it is sent or discarded, or they sign out: closing the
 * tab, another screen and a session that has ended lose nothing. A browser that keeps nothing has the form without it.
 */
export function useDraft(name: string): {
  /** Of the form, whose fields have names. */
  readonly form: RefObject<HTMLFormElement | null>
  /** What was there when the form was opened. */
  readonly kept: Kept | undefined
  /** After each change of the form. */
  keep(): void
  forget(): void
} {
  const { environment, me } = usePlace()
  const key = `draft ${me.user.id} ${me.organisation.id} ${environment} ${name}`
  const form = useRef<HTMLFormElement>(null)
  const isOver = useRef(false)
  const [kept] = useState(() => stored((storage) => JSON.parse(storage.getItem(key) ?? 'null') as Kept | null))
  return {
    form,
    kept: kept ?? undefined,
    keep: () =>
      afterPaint(() => {
        // What was sent is on the screen for a moment longer.
        if (!form.current || isOver.current) return
        const typed = Object.fromEntries([...new FormData(form.current)].map(([field, text]) => [field, String(text)]))
        stored((storage) => storage.setItem(key, JSON.stringify({ typed, at: new Date().toISOString() })))
      }),
    forget() {
      isOver.current = true
      stored((storage) => storage.removeItem(key))
    },
  }
}

function stored<T>(run: (storage: Storage) => T): T | undefined {
  try {
    return run(localStorage)
  } catch {
    return undefined
  }
}
