import { expect } from 'chai';
import { kindText } from '../../client/files/endings.ts';

describe('the kind of a file in words', () => {
  it('is that of its last ending, in whatever letters', () => {
    const names = ['Report.PDF', 'a.zip', 'a.tar.gz', 'notes.md', 'bill.pdf.exe', 'page.html'];
    const words = ['PDF', 'Zip archive', 'Archive', 'Text', 'Program', 'Web page'];
    expect(names.map(kindText)).to.deep.equal(words);
  });

  it('is the ending itself where it is not known, and a file where there is none', () => {
    const names = ['model.gltf', 'README', 'a.', 'constructor', 'a.constructor', 'a.b c'];
    const words = ['GLTF file', 'File', 'File', 'File', 'File', 'File'];
    expect(names.map(kindText)).to.deep.equal(words);
  });
});
