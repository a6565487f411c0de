import { expect } from 'chai';
import { kindText } from '../../client/files/endings.ts';

describe('the kind of a file in words', () => {
  it('follows its last extension, regardless of case', () => {
    const names = ['Report.PDF', 'a.zip', 'a.tar.gz', 'notes.md', 'bill.pdf.exe', 'page.html'];
    const words = ['PDF', 'Zip archive', 'Archive', 'Text', 'Program', 'Web page'];
    expect(names.map(kindText)).to.deep.equal(words);
  });

  it('is the extension itself if unknown, and “File” if there is none', () => {
    const names = ['model.gltf', 'README', 'a.', 'constructor', 'a.constructor', 'a.b c'];
    const words = ['GLTF file', 'File', 'File', 'File', 'File', 'File'];
    expect(names.map(kindText)).to.deep.equal(words);
  });
});
