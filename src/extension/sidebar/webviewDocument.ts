/**
 * The HTML around a webview page. Scripts run only with this document's nonce (modules
 * they import inherit it), styles and the icon font only from our own folder, nothing is
 * fetched, framed or posted anywhere.
 */
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';

export type PageName = 'sidebar' | 'firstRun' | 'insights' | 'graph';

export const webviewFolder = (extensionUri: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(extensionUri, 'dist', 'webview');

export function webviewDocument(webview: vscode.Webview, extensionUri: vscode.Uri, page: PageName): string {
  const nonce = randomBytes(18).toString('base64');
  const uri = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(webviewFolder(extensionUri), name)).toString();
  const policy = [
    "default-src 'none'", `script-src 'nonce-${nonce}'`, `style-src ${webview.cspSource}`, `font-src ${webview.cspSource}`, `img-src ${webview.cspSource}`,
    "base-uri 'none'", "form-action 'none'",
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="${vscode.env.language.replaceAll(/[^\w-]/g, '')}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri('codicon.css')}" id="vscode-codicon-stylesheet">
<link rel="stylesheet" href="${uri('main.css')}">
<title>Cairn</title>
</head>
<body data-page="${page}">
<script type="module" nonce="${nonce}" src="${uri('main.js')}"></script>
</body>
</html>`;
}
