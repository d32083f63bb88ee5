import { type RefObject, useRef, useState } from 'react'
import { usePlace } from '../../context.ts'
import { afterPaint } from '../frame/after-paint.ts'
import { Time } from '../parts.tsx'

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
  /** After each change of the form; without `typed`, what its fields hold. */
  keep(typed?: Typed): void
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
    keep(typed) {
      const write = (of: Typed) =>
        stored((storage) => storage.setItem(key, JSON.stringify({ typed: of, at: new Date().toISOString() })))
      if (typed) return write(typed)
      afterPaint(() => {
        // What was sent is on the screen for a moment longer.
        if (!form.current || isOver.current) return
        write(Object.fromEntries([...new FormData(form.current)].map(([field, text]) => [field, String(text)])))
      })
    },
    forget() {
      isOver.current = true
      stored((storage) => storage.removeItem(key))
    },
  }
}

/** Above a form that was opened with a draft. */
export function DraftNote({ at, discard }: { at: string; discard: () => void }) {
  return (
    <p className="hint">
      Your draft of <Time at={at} />, kept in this browser until you sign out.{' '}
      <button type="button" className="quiet" onClick={discard}>
        Discard the draft
      </button>
    </p>
  )
}

function stored<T>(run: (storage: Storage) => T): T | undefined {
  try {
    return run(localStorage)
  } catch {
    return undefined
  }
}
