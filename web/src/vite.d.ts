declare module "*?worker&inline" {
  const EngineWorker: new () => Worker;
  export default EngineWorker;
}
declare module "*.css";
