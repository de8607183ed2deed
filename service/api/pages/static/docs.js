// Everything comes from this service: the page works without internet. `validatorUrl: null` keeps Swagger UI from
// asking its makers' validator about the contract.
window.ui = SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
