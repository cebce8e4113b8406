const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// What Swagger UI leaves out for screen readers and keyboards: the names of choices, and a way into examples that scroll.
const docs = document.getElementById('docs');
new MutationObserver(() => {
  for (const choice of docs.querySelectorAll('select:not([aria-label])'))
    choice.setAttribute('aria-label', choice.closest('tr')?.dataset.propertyName ?? 'Server');
  for (const example of docs.querySelectorAll('.microlight:not([tabindex])'))
    example.setAttribute('tabindex', '0');
}).observe(docs, { childList: true, subtree: true });

const spec = await (await fetch('/openapi.json')).json();
// Swagger UI would fill the fields of forms that have no example, and send that.
for (const { requestBody } of Object.values(spec.paths).flatMap(Object.values))
  for (const [type, { schema }] of Object.entries(requestBody?.content ?? {}))
    for (const field of type === 'application/json' ? [] : Object.values(schema.properties))
      if (!('default' in field)) field.example ??= field.type === 'array' ? [] : '';

// The key is kept in the memory of this page only.
SwaggerUIBundle({
  spec,
  dom_id: '#docs',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
});
