import { SAMPLE_ADDRESS } from '../guides/guides.ts'
import { literal } from '../guides/samples/literals.ts'
import { NOTATION as PHP } from '../guides/samples/php.ts'
import { NOTATION as PYTHON } from '../guides/samples/python.ts'

/** A request of the API, as a sample sends it. */
export interface SampleRequest {
  readonly method: string
  /** With `/v1`, placeholders filled in. */
  readonly path: string
  /** Does it need a credential? */
  readonly credential: boolean
  /** Does it need an `Idempotency-Key`? */
  readonly keyed: boolean
  readonly body: unknown
  /** Are the bytes of the reply a file? Else it is JSON. */
  readonly file: boolean
}

export interface CodeSample {
  readonly language: 'sh' | 'ts' | 'python' | 'php' | 'go'
  readonly code: string
}

/**
 * The request in each language, with nothing but the language's own library. Every program prints the body of the reply and reads the
 * key from the environment variable `API_KEY`.
 */
export const samplesOf = (request: SampleRequest): CodeSample[] => [
  { language: 'sh', code: shell(request) },
  { language: 'ts', code: typescript(request) },
  { language: 'python', code: python(request) },
  { language: 'php', code: php(request) },
  { language: 'go', code: go(request) },
]

const json = (body: unknown): string => JSON.stringify(body, null, 2)
const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`)
const urlOf = ({ path }: SampleRequest): string => `${SAMPLE_ADDRESS}${path}`

function shell(request: SampleRequest): string {
  const { method, body, credential, keyed } = request
  const parts = [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} "${urlOf(request)}"`,
    ...(credential ? ['-H "Authorization: Bearer $API_KEY"'] : []),
    ...(keyed ? ['-H "Idempotency-Key: $(openssl rand -hex 16)"'] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${json(body).replaceAll("'", "'\\''")}'`]),
  ]
  return parts.join(' \\\n  ')
}

function typescript(request: SampleRequest): string {
  const { method, body, credential, keyed, file } = request
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is part of the sample
    ...(credential ? ['Authorization: `Bearer ${process.env.API_KEY}`,'] : []),
    ...(keyed ? ["'Idempotency-Key': crypto.randomUUID(),"] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json',"]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length > 0 ? [`headers: {\n    ${headers.join('\n    ')}\n  },`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indent(json(body), '  ')}),`]),
  ]
  const given = options.length > 0 ? `, {\n  ${options.join('\n  ')}\n}` : ''
  return `const response = await fetch('${urlOf(request)}'${given})
${file ? 'console.log(await response.text())' : 'console.dir(await response.json(), { depth: null })'}`
}

function python(request: SampleRequest): string {
  const { method, body, credential, keyed, file } = request
  const modules = [
    ...(body === undefined && file ? [] : ['json']),
    ...(credential ? ['os'] : []),
    'urllib.request',
    ...(keyed ? ['uuid'] : []),
  ]
  const headers = [
    ...(credential ? [`"Authorization": f"Bearer {os.environ['API_KEY']}",`] : []),
    ...(keyed ? ['"Idempotency-Key": str(uuid.uuid4()),'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json",']),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method="${method}",`]),
    ...(headers.length > 0 ? [`headers={\n        ${headers.join('\n        ')}\n    },`] : []),
    ...(body === undefined ? [] : [`data=json.dumps(${indent(literal(body, PYTHON), '    ')}).encode(),`]),
  ]
  return `import ${modules.join(', ')}

request = urllib.request.Request(
    "${urlOf(request)}",${options.map((option) => `\n    ${option}`).join('')}
)
with urllib.request.urlopen(request) as response:
    print(${file ? 'response.read()' : 'json.load(response)'})`
}

function php(request: SampleRequest): string {
  const { method, body, credential, keyed } = request
  const headers = [
    ...(credential ? ["'Authorization: Bearer ' . getenv('API_KEY'),"] : []),
    ...(keyed ? ["'Idempotency-Key: ' . bin2hex(random_bytes(16)),"] : []),
    ...(body === undefined ? [] : ["'Content-Type: application/json',"]),
  ]
  const options = [
    `'method' => '${method}',`,
    ...(headers.length > 0 ? [`'header' => [\n        ${headers.join('\n        ')}\n    ],`] : []),
    ...(body === undefined ? [] : [`'content' => json_encode(${indent(literal(body, PHP), '    ')}),`]),
  ]
  return `<?php
$context = stream_context_create(['http' => [
    ${options.join('\n    ')}
]]);
echo file_get_contents('${urlOf(request)}', false, $context);`
}

function go(request: SampleRequest): string {
  const { method, body, credential, keyed } = request
  const imports = [
    ...(keyed ? ['"crypto/rand"', '"encoding/hex"'] : []),
    ...['"fmt"', '"io"', '"net/http"'],
    ...(credential ? ['"os"'] : []),
    ...(body === undefined ? [] : ['"strings"']),
  ]
  const content = body === undefined ? 'nil' : `strings.NewReader(\`${indent(json(body), '\t')}\`)`
  const headers = [
    ...(credential ? ['request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))'] : []),
    ...(keyed
      ? ['key := make([]byte, 16)', 'rand.Read(key)', 'request.Header.Set("Idempotency-Key", hex.EncodeToString(key))']
      : []),
    ...(body === undefined ? [] : ['request.Header.Set("Content-Type", "application/json")']),
  ]
  return `package main

import (
	${imports.join('\n\t')}
)

func main() {
	request, err := http.NewRequest("${method}", "${urlOf(request)}", ${content})
	if err != nil {
		panic(err)
	}
${headers.map((line) => `\t${line}\n`).join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(reply))
}`
}
