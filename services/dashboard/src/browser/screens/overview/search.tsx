import { Link, useSearchParams } from 'wouter'
import { groupsOf, resultPath, useEverything } from '../../parts/frame/everything.ts'
import { detailsOf } from '../../parts/frame/find-everything.tsx'
import { Empty, Failure, Screen, Skeleton, Time } from '../../parts/parts.tsx'

const MOST = 20

/** All that a text finds, by what it is. */
export default function Search() {
  const [search] = useSearchParams()
  const text = (search.get('text') ?? '').trim()
  const { data, error, refetch } = useEverything(text, MOST)
  const groups = groupsOf(data?.results ?? [])
  const transactions = `/transactions?text=${encodeURIComponent(text)}`
  return (
    <Screen title={text ? `Results for “${text}”` : 'Search'}>
      <Failure error={error} retry={() => void refetch()} />
      {text !== '' && !data && !error && <Skeleton lines={6} />}
      {data && groups.length === 0 && (
        <Empty title="Nothing found">
          <p>
            Names and titles are found by the beginning of their words; ids, hashes, addresses, references and emails in
            full.
          </p>
        </Empty>
      )}
      {groups.map(([title, of]) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ul className="rows">
            {of.map((each) => (
              <li key={each.id}>
                <Link href={resultPath(each)}>{each.title}</Link>
                <span>{detailsOf(each).join(' · ')}</span>
                <Time at={each.createdAt} />
              </li>
            ))}
          </ul>
          {of.length === MOST && <p className="hint">The newest {MOST} are shown. Add a word to find others.</p>}
        </section>
      ))}
      {text !== '' && (
        <p>
          <Link href={transactions}>Transactions of “{text}”</Link>
        </p>
      )}
    </Screen>
  )
}
