export interface SeriesFault {
  path: (string | number)[];
  message: string;
}
