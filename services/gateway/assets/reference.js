const reference = document.getElementById('reference')
const swagger = globalThis.SwaggerUIBundle

swagger({
  url: reference.dataset.document,
  domNode: reference,
  deepLinking: true,
  docExpansion: 'list',
  persistAuthorization: false,
})
