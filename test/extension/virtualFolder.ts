/**
 * A file system that is on no disk, brought by an extension of its own, as browsers of remote repositories bring one.
 */
import * as vscode from 'vscode';

const FILES: Readonly<Record<string, string>> = { '/project/notes.md': 'Deploys happen on Tuesdays\n' };
const FOLDERS: readonly string[] = ['/', '/project'];

export function activate(context: vscode.ExtensionContext): void {
  const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  const readOnly = (uri: vscode.Uri): never => { throw vscode.FileSystemError.NoPermissions(uri); };
  context.subscriptions.push(changed, vscode.workspace.registerFileSystemProvider('cairn-test', {
    onDidChangeFile: changed.event,
    watch: () => new vscode.Disposable(() => undefined),
    stat(uri) {
      const text = FILES[uri.path];
      if (text !== undefined) return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: text.length };
      if (FOLDERS.includes(uri.path)) return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
      throw vscode.FileSystemError.FileNotFound(uri);
    },
    readDirectory: (uri) => (uri.path === '/project' ? [['notes.md', vscode.FileType.File]] : uri.path === '/' ? [['project', vscode.FileType.Directory]] : []),
    readFile(uri) {
      const text = FILES[uri.path];
      if (text === undefined) throw vscode.FileSystemError.FileNotFound(uri);
      return new TextEncoder().encode(text);
    },
    createDirectory: readOnly,
    writeFile: readOnly,
    delete: readOnly,
    rename: readOnly,
  }, { isReadonly: true }));
  // The quick access finds no files of this scheme, so the one there is opens by itself.
  void vscode.window.showTextDocument(vscode.Uri.parse('cairn-test:/project/notes.md'));
}
