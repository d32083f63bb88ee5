import { type Mistakes, refuseMistakes } from '@payments/kernel'
import type { QueryContext } from '@payments/platform'
import type { z } from 'zod'
import { draftOf, prepareCollection } from '../collections/creation.ts'
import { writtenInvoice } from '../collections/invoices/parties.ts'
import { invoicePdf } from '../collections/invoices/pdf.ts'
import { pageOfDraft } from '../payer/payer.ts'
import type { CollectionPreview } from '../schemas.ts'
import { previewPage } from './page.ts'

/**
 * What a collection would look like to its payer: the pay page as HTML, or the PDF of an invoice. The request is checked as the
 * creation checks it. Nothing is stored, and no number is taken.
 * @throws validation_failed 422 as the creation, and on `format` for the PDF of what is no invoice; payments_unavailable 403
 */
export async function previewFile(
  context: QueryContext,
  { format, locale, ...input }: z.output<typeof CollectionPreview>,
  signal: AbortSignal,
): Promise<string | Buffer> {
  const wrong: Mistakes = {}
  if (format === 'pdf' && input.type !== 'invoice') wrong.format = 'Must be "html": only an invoice has a PDF'
  refuseMistakes(wrong)
  const draft = draftOf(context, input, await prepareCollection(context, input))
  if (format === 'html') return previewPage(await pageOfDraft(context, draft), locale, context.runtime.settings)
  return invoicePdf(await writtenInvoice(context, draft), context.log, signal)
}
