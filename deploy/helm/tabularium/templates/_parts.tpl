{{- define "tabularium.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "tabularium.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "tabularium.labels" -}}
{{ include "tabularium.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "tabularium.image" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}

{{- define "tabularium.databaseSecret" -}}
{{- .Values.database.existingSecret | default (printf "%s-database" (include "tabularium.name" .)) -}}
{{- end }}

{{- /* What every pod has in common. Without service links: for a Service named tabularium Kubernetes would set
TABULARIUM_PORT to an address, which is no port. */ -}}
{{- define "tabularium.pod" -}}
enableServiceLinks: false
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "tabularium.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{- define "tabularium.environment" -}}
- name: TABULARIUM_DATABASE_URL
  valueFrom:
    secretKeyRef: {name: {{ include "tabularium.databaseSecret" . | quote }}, key: {{ .Values.database.serviceKey | quote }}}
{{- if .Values.redis.existingSecret }}
- name: TABULARIUM_REDIS_URL
  valueFrom:
    secretKeyRef: {name: {{ .Values.redis.existingSecret | quote }}, key: {{ .Values.redis.key | quote }}}
{{- else if .Values.redis.url }}
- name: TABULARIUM_REDIS_URL
  value: {{ .Values.redis.url | quote }}
{{- end }}
- name: TABULARIUM_PROJECTIONS
  value: "false"
- name: TABULARIUM_METRICS_PORT
  value: {{ .Values.metrics.port | quote }}
{{- with .Values.oidc.issuer }}
- name: TABULARIUM_OIDC_ISSUER
  value: {{ . | quote }}
{{- end }}
{{- with .Values.oidc.audience }}
- name: TABULARIUM_OIDC_AUDIENCE
  value: {{ . | quote }}
{{- end }}
{{- with .Values.oidc.clientId }}
- name: TABULARIUM_OIDC_CLIENT_ID
  value: {{ . | quote }}
{{- end }}
{{- with .Values.oidc.name }}
- name: TABULARIUM_OIDC_NAME
  value: {{ . | quote }}
{{- end }}
{{- if .Values.oidc.existingSecret }}
- name: TABULARIUM_OIDC_CLIENT_SECRET
  valueFrom:
    secretKeyRef: {name: {{ .Values.oidc.existingSecret | quote }}, key: {{ .Values.oidc.key | quote }}}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: TABULARIUM_{{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}
