import type { Outputs } from '@payments/client'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { fileAddress, requestFile, saveBlob } from '../../parts/forms/files.ts'
import { Dialog, Failure } from '../../parts/parts.tsx'

type Collection = Exclude<Outputs['collections']['get'], { type: 'session' }>

const OPEN = ['active', 'open', 'overdue']

/** What can be done with a link, invoice or checkout while it accepts payments. */
export function Actions({ of }: { of: Collection }) {
  const { environment, api } = usePlace()
  const [asking, setAsking] = useState(false)
  const renew = () => queries.invalidateQueries({ queryKey: [environment] })
  const send = useMutation({ mutationFn: () => api.collections.send.mutate({ collectionId: of.id }), onSuccess: renew })
  const end = useMutation({
    mutationFn: () => api.collections.delete.mutate({ collectionId: of.id }),
    async onSuccess() {
      await renew()
      setAsking(false)
    },
  })
  const data = useMutation({
    mutationFn: async () =>
      saveBlob(
        `${of.number}.xml`,
        await (await requestFile(`/collections/${of.id}/invoice.xml`, { environment })).blob(),
      ),
  })
  const isOpen = OPEN.includes(of.status)
  const [verb, question] =
    of.type === 'link'
      ? ['Deactivate', 'Nobody can start a payment any more. Payments that have begun may still finish.']
      : ['Void', 'It cannot be paid any more. A payment that is under way still finishes and is recorded.']
  return (
    <>
      {of.type === 'invoice' && (
        <a className="button" download href={fileAddress(`/collections/${of.id}/invoice.pdf`, environment)}>
          PDF
        </a>
      )}
      {of.type === 'invoice' && (
        <button
          type="button"
          disabled={data.isPending}
          title="The invoice as accounting programs read it"
          onClick={() => data.mutate()}
        >
          XML
        </button>
      )}
      {of.type === 'invoice' && isOpen && (
        <ChangeButton
          calls="collections.send"
          type="button"
          disabled={send.isPending || of.customerId === null}
          title={of.customerId === null ? 'An invoice without a customer cannot be sent' : undefined}
          onClick={() => send.mutate()}
        >
          {send.isSuccess ? 'Sent' : of.status === 'overdue' ? 'Remind' : 'Send by email'}
        </ChangeButton>
      )}
      {isOpen && (
        <ChangeButton calls="collections.delete" type="button" className="danger" onClick={() => setAsking(true)}>
          {verb}
        </ChangeButton>
      )}
      <Failure error={send.error ?? data.error} />
      {asking && (
        <Dialog title={`${verb} ${of.number ?? of.title}?`} close={() => setAsking(false)}>
          <p>{question}</p>
          <Failure error={end.error} />
          <ChangeButton
            calls="collections.delete"
            type="button"
            className="danger"
            disabled={end.isPending}
            onClick={() => end.mutate()}
          >
            {verb}
          </ChangeButton>
        </Dialog>
      )}
    </>
  )
}
