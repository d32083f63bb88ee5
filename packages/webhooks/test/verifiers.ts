import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hasTools } from '#testing'
// @boundaries-ignore the published file itself is what is tested
import { verify } from '../../../docs/verify/verify.ts'

/** A signed body, and whether a receiver must accept it. */
export interface Case {
  readonly name: string
  readonly secret: string
  readonly header: string
  readonly body: string
  readonly valid: boolean
}
type Verifier = (cases: readonly Case[]) => boolean[]

const docs = fileURLToPath(new URL('../../../docs/verify/', import.meta.url))

function run(command: string, args: readonly string[], cases: readonly Case[], cwd = tmpdir()): boolean[] {
  const input = JSON.stringify(
    cases.map(({ secret, header, body }) => ({ secret, header, body: Buffer.from(body).toString('base64') })),
  )
  const { stdout, stderr, status } = spawnSync(command, args, { input, cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

const python: Verifier = (cases) => {
  const script = `import base64, json, sys
sys.path.insert(0, ${JSON.stringify(docs)})
sys.dont_write_bytecode = True
from verify import verify
print(json.dumps([verify(c["secret"], c["header"], base64.b64decode(c["body"])) for c in json.load(sys.stdin)]))`
  return run('python3', ['-c', script], cases)
}

const go: Verifier = (cases) => {
  const workshop = mkdtempSync(join(tmpdir(), 'payments-verify-'))
  writeFileSync(join(workshop, 'go.mod'), 'module verify\n\ngo 1.19\n')
  writeFileSync(
    join(workshop, 'verify.go'),
    readFileSync(join(docs, 'verify.go'), 'utf8').replace('package webhooks', 'package main'),
  )
  writeFileSync(
    join(workshop, 'main.go'),
    `package main

import (
	"encoding/json"
	"os"
	"time"
)

func main() {
	var cases []struct {
		Secret, Header string
		Body           []byte
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	results := []bool{}
	for _, c := range cases {
		results = append(results, Verify(c.Secret, c.Header, c.Body, 5*time.Minute))
	}
	_ = json.NewEncoder(os.Stdout).Encode(results)
}
`,
  )
  try {
    return run('go', ['run', '.'], cases, workshop)
  } finally {
    rmSync(workshop, { recursive: true })
  }
}

const php: Verifier = (cases) => {
  const script = `require ${JSON.stringify(join(docs, 'verify.php'))};
$results = array_map(
    fn($case) => verify($case['secret'], $case['header'], base64_decode($case['body'])),
    json_decode(stream_get_contents(STDIN), true),
);
echo json_encode($results);`
  return run('php', ['-r', script], cases)
}

const ruby: Verifier = (cases) => {
  const script = `require "json"
require ${JSON.stringify(join(docs, 'verify.rb'))}
puts JSON.parse($stdin.read).map { |one| verify(one["secret"], one["header"], one["body"].unpack1("m")) }.to_json`
  return run('ruby', ['-e', script], cases)
}

const shell: Verifier = (cases) =>
  cases.map(({ secret, header, body }) => {
    const script = `. ${JSON.stringify(join(docs, 'verify.sh'))}; if verify "$1" "$2"; then echo true; else echo false; fi`
    const { stdout, stderr, status } = spawnSync('sh', ['-c', script, 'sh', secret, header], {
      input: body,
      encoding: 'utf8',
    })
    if (status !== 0 || stderr) throw new Error(stderr)
    return JSON.parse(stdout)
  })

/** The published receivers; each runs where its language is installed. */
export const verifiers: readonly { language: string; there: () => boolean; run: Verifier }[] = [
  {
    language: 'TypeScript',
    there: () => true,
    run: (cases) => cases.map(({ secret, header, body }) => verify(secret, header, body)),
  },
  { language: 'Python', there: () => hasTools('python3'), run: python },
  { language: 'Go', there: () => hasTools('go'), run: go },
  { language: 'PHP', there: () => hasTools('php'), run: php },
  { language: 'Ruby', there: () => hasTools('ruby'), run: ruby },
  { language: 'shell', there: () => hasTools('openssl'), run: shell },
]
