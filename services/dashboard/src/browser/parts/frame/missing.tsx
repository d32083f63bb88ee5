import { usePlace } from '../../context.ts'

/** What the environment on the screen lacks of what a screen needs; undefined where nothing is missing. */
export function useMissing(capability: string): string | undefined {
  const { environment, me } = usePlace()
  return me.unavailable.find((each) => each.environment === environment && each.capability === capability)?.message
}

/** Says that nothing can be made here for want of a provider, and who can change it; nothing where it can. */
export function Missing({ of }: { of: string }) {
  const { environment } = usePlace()
  const message = useMissing(of)
  if (message === undefined) return null
  return (
    <section className="note" aria-label="Not available">
      <p>
        <strong>{message}.</strong> The operators of this service have set up no provider yet.
        {environment === 'live' && ' In test everything works.'}
      </p>
    </section>
  )
}
