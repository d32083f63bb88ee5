const reference = document.getElementById('reference')
// Swagger UI has dark colours, but chooses them by this class alone.
const dark = globalThis.matchMedia('(prefers-color-scheme: dark)')
const choose = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', choose)
choose()

const swagger = globalThis.SwaggerUIBundle

swagger({
  url: reference.dataset.document,
  domNode: reference,
  deepLinking: true,
  docExpansion: 'list',
  persistAuthorization: false,
})
