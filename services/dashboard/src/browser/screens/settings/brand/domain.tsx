import type { Outputs } from '@payments/client'
import { useMutation } from '@tanstack/react-query'
import { queries } from '../../../api.ts'
import { usePlace } from '../../../context.ts'
import { ChangeButton } from '../../../parts/forms/change.tsx'
import { Copyable, Failure } from '../../../parts/parts.tsx'

/** The DNS record that proves whose the site is, and the check of it. Payers then see the domain with a mark. */
export function Domain({
  of: { domainRecord, domainVerified, websiteUrl },
}: {
  of: Pick<Outputs['branding']['get'], 'domainRecord' | 'domainVerified' | 'websiteUrl'>
}) {
  const { environment, api } = usePlace()
  const verify = useMutation({
    mutationFn: () => api.branding.verifyDomain.mutate({}),
    onSuccess: () => queries.invalidateQueries({ queryKey: [environment] }),
  })
  return (
    <section className="card" aria-labelledby="domain">
      <h2 id="domain">Your domain</h2>
      {!domainRecord || !websiteUrl ? (
        <p className="hint">Save your website above. Then payers can see that its domain is yours.</p>
      ) : domainVerified ? (
        <p>
          <span className="status good">verified</span> Payers see {new URL(websiteUrl).hostname} with a mark.
        </p>
      ) : (
        <>
          <p>
            Add this TXT record to the DNS of {new URL(websiteUrl).hostname}, then verify it. Payers see the domain
            then.
          </p>
          <dl className="facts">
            <dt>Name</dt>
            <dd>
              <Copyable text={domainRecord.name} label="Copy the name" />
            </dd>
            <dt>Value</dt>
            <dd>
              <Copyable text={domainRecord.value} label="Copy the value" />
            </dd>
          </dl>
          <Failure error={verify.error} />
          <ChangeButton
            calls="branding.verifyDomain"
            type="button"
            disabled={verify.isPending}
            onClick={() => verify.mutate()}
          >
            {verify.isPending ? 'Asking the DNS …' : 'Verify the domain'}
          </ChangeButton>
        </>
      )}
    </section>
  )
}
