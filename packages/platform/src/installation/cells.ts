/** Another cell, and whether it answers. */
interface CellAnswer {
  readonly cell: number
  readonly address: string
  readonly answers: boolean
  /** In words, `answers` or why it does not. */
  readonly answer: string
}

/** How long a cell may take to answer, ms. */
const PATIENCE_MS = 3000

async function askCell(address: string): Promise<Pick<CellAnswer, 'answers' | 'answer'>> {
  try {
    const response = await fetch(`${address}/health`, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' })
    await response.body?.cancel()
    return response.ok
      ? { answers: true, answer: 'answers' }
      : { answers: false, answer: `answers with ${response.status}` }
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } }
    const why = name === 'TimeoutError' ? `within ${PATIENCE_MS / 1000} s` : `(${cause?.code ?? name})`
    return { answers: false, answer: `does not answer ${why}` }
  }
}

/** Asks the other cells of the setting CELLS, all at once, whether they answer. */
export const answersOf = (cells: ReadonlyMap<number, string>): Promise<readonly CellAnswer[]> =>
  Promise.all([...cells].map(async ([cell, address]) => ({ cell, address, ...(await askCell(address)) })))
