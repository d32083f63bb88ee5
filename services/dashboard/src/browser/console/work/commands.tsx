import { type Field, inputOf, type OperatorCommand } from '@payments/client'
import { useState } from 'react'
import { Link, useParams, useSearchParams } from 'wouter'
import { usePlace } from '../../context.ts'
import { words } from '../../parts/format.ts'
import { isId } from '../../parts/forms/checks.ts'
import { type FieldSpec, Form, type Values } from '../../parts/forms/form.tsx'
import { titleOf } from '../../parts/object/fields.ts'
import { Empty, Screen } from '../../parts/parts.tsx'
import { Described } from '../parts/facts.tsx'
import { Shown, useCommands } from '../parts/reads.tsx'
import { Review, type Tried } from './review.tsx'

/** Every command of operators, by the part of the service that it belongs to. */
export function CommandList() {
  const commands = useCommands()
  return (
    <Screen title="Commands">
      <p className="hint">
        Each shows what it would do before it does it, and is kept in the audit log with your reason. Most are reached
        from the object that they change.
      </p>
      <Shown of={commands}>
        {(all) =>
          [...Map.groupBy(all, ({ path }) => (path.length > 1 ? (path[0] ?? '') : 'service'))].map(([group, each]) => (
            <section key={group} aria-label={words(group)}>
              <h2>{words(group)}</h2>
              <ul className="rows">
                {each.map(({ procedure, summary, description, money }) => (
                  <li key={procedure.name}>
                    <Link href={`/commands/${procedure.name}`}>{summary}</Link>
                    {money && <span className="status">money</span>}
                    <span className="hint">
                      <Described text={description} />
                    </span>
                  </li>
                ))}
              </ul>
            </section>
          ))
        }
      </Shown>
    </Screen>
  )
}

/** One command: the form of its definition, then what it would do, then what it did. */
export function CommandScreen() {
  const { name = '' } = useParams<{ name: string }>()
  const commands = useCommands()
  const command = commands.data?.find(({ procedure }) => procedure.name === name)
  return (
    <Screen title={command?.summary ?? 'Command'}>
      <Shown of={commands}>
        {() =>
          command ? (
            <Command of={command} />
          ) : (
            <Empty title="There is no such command">
              <p>
                <Link href="/commands">Show all commands</Link>
              </p>
            </Empty>
          )
        }
      </Shown>
    </Screen>
  )
}

function Command({ of }: { of: OperatorCommand }) {
  const { api } = usePlace()
  const [search] = useSearchParams()
  const [given, setGiven] = useState<Values>()
  const [tried, setTried] = useState<Tried>()
  const fields = [...of.arguments, ...of.options]
  const back = backIn(search.get('back'))
  if (tried) return <Review command={of} tried={tried} back={back} change={() => setTried(undefined)} />
  return (
    <>
      <p className="hint">
        <Described text={of.description} />
      </p>
      {of.money && <p className="note">This moves money or changes where it is booked.</p>}
      <Form
        calls={null}
        label={of.dryRun ? 'Show what it would do' : 'Continue'}
        fields={() => fields.map((field) => specOf(field, given?.[field.name] ?? search.get(field.name) ?? undefined))}
        submit={async (values) => {
          setGiven(values)
          const input = inputIn(fields, values)
          return {
            input,
            ...(of.dryRun ? { effects: await api.admin.dryRun.query({ command: of.procedure.name, input }) } : {}),
          }
        }}
        done={setTried}
      />
    </>
  )
}

/** Where the command was opened from: an address of the console. */
const backIn = (text: string | null): string => (text?.startsWith('/') && !text.startsWith('//') ? text : '/')

/** Fields in which sentences are written. */
const WIDE = ['reason', 'evidence', 'message']

/** A field of the procedure as a field of the form. */
function specOf(
  { name, kind, required, description, choices, example }: Field,
  initial: string | undefined,
): FieldSpec {
  const shown = choices.map((choice) => [choice, words(choice)] as const)
  const options =
    kind === 'boolean'
      ? ([
          ['true', 'Yes'],
          ['false', 'No'],
        ] as const)
      : shown
  const hint = kind === 'list' ? `${description}. Separate several with commas` : description
  return {
    name,
    label: titleOf(name),
    hint: hint.replaceAll('`', ''),
    optional: !required,
    wide: WIDE.includes(name) || kind === 'json' || isId(textOf(initial ?? example ?? '')),
    ...(options.length > 0 && kind !== 'list'
      ? { options: required ? options : ([['', 'Not given'], ...options] as const) }
      : {}),
    ...(example !== undefined && options.length === 0 ? { placeholder: textOf(example) } : {}),
    ...(initial === undefined ? {} : { initial }),
  }
}

const textOf = (example: unknown): string =>
  Array.isArray(example) ? example.join(', ') : typeof example === 'object' ? JSON.stringify(example) : String(example)

/** What was typed, as the procedure takes it. What is empty is left out. */
function inputIn(fields: readonly Field[], values: Values): Record<string, unknown> {
  const given = fields.flatMap((field): [string, unknown][] => {
    const text = (values[field.name] ?? '').trim()
    if (text === '') return []
    if (field.kind === 'list') return [[field.name, text.split(/[\s,]+/).filter(Boolean)]]
    return [[field.name, inputOf(field, text)]]
  })
  return Object.fromEntries(given)
}
