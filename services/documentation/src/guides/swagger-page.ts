import { escapeHtml, header } from '@payments/gateway'

/** Swagger UI with an OpenAPI document: beside our reference, for those who know it. It sends requests to the address that it was opened from. */
export const swaggerPage = (title: string, document: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Payments</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/guides.css">
</head>
<body>
<a class="skip" href="#reference">Skip to the content</a>
${header()}
<main id="reference" tabindex="-1" data-document="${document}"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/swagger.js"></script>
</body>
</html>
`
